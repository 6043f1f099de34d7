const COUNTED = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']
const FAILING = '✖ failing tests:'

/** Prints what failed once more, where it is found, and the sum of all groups as `node --test` words it. */
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
