#!/bin/sh
# Four shards as a Slurm array, on a file system that every node sees.
#   jobid=$(sbatch --parsable slurm.sh) && sbatch --dependency=afterok:"$jobid" --wrap 'membench eval merge runs/part-* -o runs/whole'
#SBATCH --array=0-3
#SBATCH --requeue
#SBATCH --cpus-per-task=2
#SBATCH --output=shard-%a.log
exec "${MEMBENCH:-membench}" eval run cases.jsonl --system bm25 --no-times \
	-o "runs/part-$SLURM_ARRAY_TASK_ID" --shard "$SLURM_ARRAY_TASK_ID/4"
