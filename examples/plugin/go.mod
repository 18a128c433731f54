module example.org/membench-mine

go 1.26.0

require membench v0.0.0

replace membench => ../..
