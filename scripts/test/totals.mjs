import path from 'node:path'

const COUNTED = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']
const FAILING = '✖ failing tests:'

/** Prints the failures of all groups again, and the totals in the format of `node --test`. */
export function printTotals(groups, durationMs) {
  for (const { files, unsteady } of groups)
    if (unsteady !== undefined)
      console.log(`\n⚠ Unsteady, green only alone: ${describe(files)}${failuresOf(unsteady)}`)
  for (const { files, isGreen, output, counts, open } of groups) {
    if (isGreen) continue
    console.log(`\n✖ ${describe(files)}`)
    const failures = failuresOf(output)
    if (open.length > 0) console.log(`A file of this group left open: ${open.join(', ')}`)
    if (failures !== '') console.log(failures)
    else if (open.length === 0)
      console.log(counts.tests > 0 ? 'It did not exit as expected.' : 'No test ran.')
  }
  for (const name of COUNTED)
    console.log(`ℹ ${name} ${groups.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)}`)
  console.log(`ℹ duration_ms ${durationMs}`)
}

function failuresOf(output) {
  const at = output.lastIndexOf(FAILING)
  return at < 0 ? '' : output.slice(at + FAILING.length)
}

const LISTED = 60

/**
 * Prints when each group ran, the files that took the most CPU time, including that of the programs they started, and
 * the sum.
 */
export function printReport(groups) {
  console.log('\nGroups (second of the end, wall seconds, CPU seconds):')
  for (const { files, times, endedMs } of groups)
    console.log(
      `${format(endedMs / 1_000)} ${format(sum(times, 'wall'))} ${format(sum(times, 'cpu'))}  ${describe(files)}`,
    )
  const times = groups.flatMap((group) => group.times)
  const loading = times.filter(({ file }) => file === '(load)')
  const slowest = times.filter(({ file }) => file !== '(load)').sort((a, b) => b.cpu - a.cpu)
  console.log(`\nThe ${LISTED} files that took most CPU time (CPU seconds, wall seconds):`)
  for (const { file, cpu, wall } of slowest.slice(0, LISTED))
    console.log(`${format(cpu)} ${format(wall)}  ${path.relative(process.cwd(), file)}`)
  console.log(
    `${format(sum(loading, 'cpu'))} CPU seconds in ${loading.length} processes to load the files`,
  )
  console.log(`${format(sum(times, 'cpu'))} CPU seconds in all`)
}

function describe(files) {
  return files.length > 1 ? `${files[0]} and ${files.length - 1} more` : files[0]
}

function sum(times, key) {
  return times.reduce((total, each) => total + each[key], 0)
}

function format(seconds) {
  return seconds.toFixed(1).padStart(7)
}
