# What measure.sh and cluster.sh share: generated input for a step in $dir, of $n rows, and
# the step's arguments on one machine (one) and for the job (far). Needs $mb; HOT is the
# share of exports with one text, ODD asks for mixed claims that come again.
go build -C tools -o "$dir/gen" ./benchdata
go build -C tools -o "$dir/linesum" ./linesum
cp scripts/spark/*.py "$dir"

# sum FOLDER...: a digest of all lines, in any order, and their number
sum() { find "$@" -type f \( -name '*.jsonl' -o -name '*.cypher' -o -name '*.csv' \) -print0 | xargs -0 cat | "$dir/linesum"; }
cut128() { mkdir "$1" && split -C 128M --additional-suffix=.jsonl - "$1/"; }
exports() { [ -d "$dir/exports" ] || "$dir/gen" -kind exports -n "$n" -hot "${HOT:-0}" | cut128 "$dir/exports"; }
graph() { [ -d "$dir/graph" ] || { exports; "$mb" to-graph --exports "$dir/exports" -o "$dir/graph" -q --limit 1 >/dev/null 2>&1 || [ $? = 3 ]; }; }
claims() { [ -d "$dir/claims" ] || "$dir/gen" -kind claims -n "$n" ${ODD:+-mixed -repeats 2.3} | cut128 "$dir/claims"; }
chats() {
  [ -d "$dir/chats" ] && return
  mkdir "$dir/chats"
  "$dir/gen" -kind messages -n "$n" | split -l 5000 --additional-suffix=.jsonl - "$dir/chats/"
}

prepare() { # STEP
  case $1 in
    annotate) chats; one=(annotate "$dir/chats" -q) far=("$dir/chats") ;;
    claimify) exports; one=(claimify "$dir/exports" -q --limit 1) far=("$dir/exports") ;;
    compile-claims) claims; one=(compile-claims "$dir/claims" -q --limit 1) far=("$dir/claims") ;;
    to-graph) exports; one=(to-graph --exports "$dir/exports" -q --limit 1) far=(--exports "$dir/exports") ;;
    validate) graph; one=(validate "$dir/exports" "$dir/graph" --format json) far=("$dir/exports" "$dir/graph") ;;
    cypher) graph; one=(cypher "$dir/graph" -q --limit 1) far=("$dir/graph/nodes.jsonl" "$dir/graph/edges.jsonl") ;;
    admin-csv) graph; one=(export "$dir/graph" --format admin-csv -q --limit 1) far=("$dir/graph/nodes.jsonl" "$dir/graph/edges.jsonl") ;;
    *) echo "no step $1" >&2; exit 2 ;;
  esac
  [ "$1" = validate ] || one+=(-o "$dir/one") # validate writes its findings to standard output
  far=("$dir/membench_spark.py" "$1" "${far[@]}" -o "$dir/far" --conf spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false)
  rm -rf "$dir/one" "$dir/far"
}
