import path from 'node:path'

const COUNTED = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']
const FAILING = '✖ failing tests:'

/** Prints the failures of all groups again, and the totals in the format of `node --test`. */
export function printTotals(groups, durationMs) {
  for (const { files, isGreen, output, counts } of groups) {
    if (isGreen) continue
    console.log(`\n✖ ${files[0]}${files.length > 1 ? ` and ${files.length - 1} more` : ''}`)
    const at = output.lastIndexOf(FAILING)
    if (at >= 0) console.log(output.slice(at + FAILING.length))
    else console.log(counts.tests > 0 ? 'It did not end as it should.' : 'No test ran.')
  }
  for (const name of COUNTED)
    console.log(`ℹ ${name} ${groups.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)}`)
  console.log(`ℹ duration_ms ${durationMs}`)
}

const LISTED = 40

/** Prints the files that took most CPU time, that of the programs they started included, and the sum of all. */
export function printSlowestFiles(groups) {
  const times = groups.flatMap((group) => group.times)
  const loading = times.filter(({ file }) => file === '(load)')
  const slowest = times.filter(({ file }) => file !== '(load)').sort((a, b) => b.cpu - a.cpu)
  console.log(`\nThe ${LISTED} files that took most CPU time (CPU seconds, wall seconds):`)
  for (const { file, cpu, wall } of slowest.slice(0, LISTED))
    console.log(`${format(cpu)} ${format(wall)}  ${path.relative(process.cwd(), file)}`)
  console.log(
    `${format(sumCpu(loading))} CPU seconds in ${loading.length} processes to load the files`,
  )
  console.log(`${format(sumCpu(times))} CPU seconds in all`)
}

function sumCpu(times) {
  return times.reduce((sum, { cpu }) => sum + cpu, 0)
}

function format(seconds) {
  return seconds.toFixed(1).padStart(7)
}
