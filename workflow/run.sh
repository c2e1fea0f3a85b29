#!/usr/bin/env bash
# Run a study's workflow: workflow/run.sh STUDY.yaml PROFILE [targets and options of snakemake]
# PROFILE is a folder, or the name of one in workflow/profiles. On one machine CORES and GPUS say how much of it
# to use; RETRY=1 tries again what failed.
set -euo pipefail
study=$1 profile=$2
shift 2
for program in flock setpriv; do
  if ! command -v "$program" >/dev/null; then
    echo "found no program '$program', expected it on the path (Debian's package util-linux has it)" >&2
    exit 2
  fi
done
if [ -d "workflow/profiles/$profile" ]; then profile=workflow/profiles/$profile; fi
if [ ! -r "$profile/config.yaml" ]; then
  echo "$profile: found no profile, expected a folder with config.yaml or one of $(ls -m workflow/profiles)" >&2
  exit 2
fi

# One run a study. The lock is Snakemake's process's: the system drops it with the process, however that ends,
# whereas Snakemake's own lock would stay. It is the folder's, since two files may name the same study.
folder=$(python -m helpers.study "$study")
name=study-$(sha256sum <<<"$folder" | cut -c -12)
mkdir -p .snakemake
exec 9>".snakemake/$name.lock"
if ! flock --nonblock 9; then
  echo "$study: another run is going on; wait for it, or stop it" >&2
  exit 75
fi

if grep -q '^executor: slurm' "$profile/config.yaml"; then
  snakemake=(python -m helpers.slurm) options=(--slurm-jobname-prefix "$name")
  # Jobs of a run that was killed: nobody waits for them any more, and they would hold what the new ones need.
  left() { squeue --me --noheader --format '%i %j' | awk -v name="$name" 'index($2, name) == 1 { print $1 }'; }
  left | xargs --no-run-if-empty scancel
  until still=$(left) && [ -z "$still" ]; do sleep 1; done
else
  snakemake=(snakemake) options=(--cores "${CORES:-2}" --resources gpu="${GPUS:-1}")
fi
exec "${snakemake[@]}" --snakefile workflow/Snakefile --profile "$profile" "$@" "${options[@]}" \
  --config study="$study" ${RETRY:+retry=1}
