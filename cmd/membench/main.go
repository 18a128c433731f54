// Command membench makes memory data and measures memory systems.
package main

import "membench/cli"

func main() { cli.Main() }
