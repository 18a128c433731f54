// Package all lists every data set that membench knows.
package all

import (
	"slices"

	"membench/datasets"
	"membench/datasets/beam"
	"membench/datasets/domaina"
	"membench/datasets/halumem"
	"membench/datasets/locomo"
	"membench/datasets/longmemeval"
	"membench/datasets/memgallery"
	"membench/datasets/memoryagentbench"
	"membench/datasets/netops"
	"membench/datasets/personamem"
	"membench/datasets/plain"
	"membench/datasets/probes"
	"membench/datasets/realtalk"
)

// Datasets lists the catalogue by name; sets that nothing reads have no Cases.
func Datasets() []datasets.Dataset {
	read := append(netops.Datasets(),
		beam.Dataset(), domaina.Dataset(), halumem.Dataset(), locomo.Dataset(), longmemeval.Dataset(), memgallery.Dataset(), memoryagentbench.Dataset(), personamem.Dataset(),
		plain.Dataset(), probes.Dataset(), realtalk.Dataset(),
	)
	var out []datasets.Dataset
	for _, info := range datasets.Catalogue() {
		d := datasets.Dataset{Info: info}
		if i := slices.IndexFunc(read, func(r datasets.Dataset) bool { return r.Name == info.Name }); i >= 0 {
			d = read[i]
		}
		out = append(out, d)
	}
	return out
}

// Lookup finds a data set by name.
func Lookup(name string) (datasets.Dataset, bool) {
	for _, d := range Datasets() {
		if d.Name == name {
			return d, true
		}
	}
	return datasets.Dataset{}, false
}

// Names lists those that have cases.
func Names() []string {
	var out []string
	for _, d := range Datasets() {
		if d.Cases != nil {
			out = append(out, d.Name)
		}
	}
	return out
}
