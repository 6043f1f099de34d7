import { groupBySequence } from './group-by-sequence.ts'
import type { CollectedExport, ExportLine, Finding } from './read-export.ts'

/** An entry at its place in the chain. */
interface Placed extends ExportLine {
  readonly sequence: number
}

/** Locates what was changed in an export whose chain is broken. */
export function findChanges({ header, lines, end }: CollectedExport): Finding[] {
  const consistent = lines.filter(
    (line): line is Placed => line.isConsistent && line.sequence !== undefined,
  )
  const genuine = selectGenuine(consistent, header.base, end)
  const genuineLines = new Set(genuine.map(({ line }) => line))
  const findings: Finding[] = consistent
    .filter(({ line }) => !genuineLines.has(line))
    .map(({ line }) => ({ kind: 'inserted', line, message: 'does not belong to the chain' }))
  const sorted = genuine.toSorted((a, b) => a.sequence - b.sequence)
  const last = end?.sequence ?? sorted.at(-1)?.sequence ?? header.base.sequence
  const modified = placeInconsistent(lines, genuineLines, header.base.sequence, last + 1)
  const present = [...modified.placed, ...sorted].toSorted((a, b) => a.sequence - b.sequence)
  // No spread of a list into arguments: an export has more lines than a call takes.
  const all = findings.concat(
    modified.findings,
    findMoved(genuine, sorted),
    findBrokenLinks(sorted, { base: header.base, end }),
    findRemoved(present, header.base.sequence, last),
  )
  if (end === undefined) {
    const message = 'the last line, of type "end", is missing: the export is incomplete'
    all.push({ kind: 'incomplete', line: lines.at(-1)?.line ?? 1, message })
  }
  return all.toSorted((a, b) => a.line - b.line)
}

interface Place {
  readonly sequence: number
  readonly hash: string
}

/** Of several lines with the same number, the one that its neighbors in the chain, or in the file, confirm. */
function selectGenuine(
  consistent: readonly Placed[],
  base: Place,
  end: Place | undefined,
): Placed[] {
  const hashes = new Set(consistent.map(({ sequence, hash }) => `${sequence} ${hash}`))
  hashes.add(`${base.sequence} ${base.hash}`)
  const previous = new Set(consistent.map((each) => `${each.sequence} ${each.previousHash}`))
  if (end !== undefined) previous.add(`${end.sequence + 1} ${end.hash}`)
  const indexOf = new Map(consistent.map((each, index) => [each, index]))
  const rate = (each: Placed) => {
    const index = indexOf.get(each) ?? 0
    const isAfter = (consistent[index - 1] ?? base).sequence === each.sequence - 1
    const isBefore = consistent[index + 1]?.sequence === each.sequence + 1
    const isLinked = hashes.has(`${each.sequence - 1} ${each.previousHash}`)
    const isContinued = previous.has(`${each.sequence + 1} ${each.hash}`)
    return Number(isLinked) * 4 + Number(isContinued) * 8 + Number(isAfter) + Number(isBefore)
  }
  const isInRange = ({ sequence }: Placed) =>
    sequence > base.sequence && (end === undefined || sequence <= end.sequence)
  const groups = groupBySequence(consistent.filter(isInRange))
  const genuine = [...groups.values()].map((group) =>
    group.reduce((best, each) => (rate(each) > rate(best) ? each : best)),
  )
  return genuine.toSorted((a, b) => a.line - b.line)
}

/** Lines that contradict themselves were modified if an entry is missing at their place, and otherwise inserted. */
function placeInconsistent(
  lines: readonly ExportLine[],
  genuineLines: ReadonlySet<number>,
  base: number,
  afterLast: number,
): { readonly findings: Finding[]; readonly placed: Placed[] } {
  const findings: Finding[] = []
  const placed: Placed[] = []
  let before = base
  for (const [index, line] of lines.entries()) {
    if (genuineLines.has(line.line)) before = line.sequence ?? before
    if (genuineLines.has(line.line) || (line.isConsistent && line.sequence !== undefined)) continue
    const next = lines.slice(index, index + NEIGHBORS).find((each) => genuineLines.has(each.line))
    const isRoom = before + 1 < (next?.sequence ?? afterLast)
    if (isRoom) {
      before += 1
      placed.push({ ...line, sequence: before })
      const message = `entry ${before} is not what was recorded`
      findings.push({ kind: 'modified', line: line.line, message })
    } else findings.push({ kind: 'inserted', line: line.line, message: 'was never recorded' })
  }
  return { findings, placed }
}

/** Beyond so many changed lines in a row, an entry counts as modified rather than inserted. */
const NEIGHBORS = 1_000

/** Entries that are at the place of another one. */
function findMoved(inFile: readonly Placed[], inChain: readonly Placed[]): Finding[] {
  return inFile.flatMap((entry, index): Finding[] => {
    if (inChain[index] === entry) return []
    const message = `entry ${entry.sequence} is not at its place`
    return [{ kind: 'moved', line: entry.line, message }]
  })
}

/** Entries whose own hash was replaced along with their contents. */
function findBrokenLinks(
  sorted: readonly Placed[],
  { base, end }: { readonly base: Place; readonly end: Place | undefined },
): Finding[] {
  const findings: Finding[] = []
  const report = ({ line, sequence }: Placed) => {
    const message = `entry ${sequence} is not what was recorded, although its own hash is right`
    if (findings.every((finding) => finding.line !== line))
      findings.push({ kind: 'modified', line, message })
  }
  for (const [index, entry] of sorted.entries()) {
    const before = sorted[index - 1]
    const next = sorted[index + 1]
    if (entry.sequence === base.sequence + 1 && entry.previousHash !== base.hash) report(entry)
    if (entry.sequence === end?.sequence && entry.hash !== end.hash) report(entry)
    if (before?.sequence !== entry.sequence - 1 || before.hash === entry.previousHash) continue
    const isContinued =
      next === undefined ? entry.hash === end?.hash : next.previousHash === entry.hash
    report(isContinued ? before : entry)
  }
  return findings
}

function findRemoved(present: readonly Placed[], base: number, last: number): Finding[] {
  const findings: Finding[] = []
  let before = { sequence: base, line: 1 }
  for (const entry of [...present, { sequence: last + 1, line: 0 }]) {
    const [first, final] = [before.sequence + 1, entry.sequence - 1]
    const range = first === final ? `entry ${first} is` : `entries ${first} to ${final} are`
    if (first <= final)
      findings.push({ kind: 'removed', line: before.line, message: `${range} missing after it` })
    before = entry
  }
  return findings
}
