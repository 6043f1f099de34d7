import { type Checkpoint, isSignatureValid } from '../hash-chain.ts'
import {
  type ChainPlace,
  type CollectedExport,
  type ExportEnd,
  type ExportHeader,
  type ExportLine,
  type ExportPart,
  type Finding,
  groupBySequence,
  parseExportLine,
} from './read-export.ts'

export interface VerifiedExport {
  readonly workspaceId: string | null
  readonly entries: number
  readonly first: number
  readonly last: number
  /** Personal values that were erased; the chain contains their digests. */
  readonly erased: number
  /** In the order of their lines. Empty: nothing was changed. */
  readonly findings: readonly Finding[]
}

/** Opens an export from its start, as lines. Called twice if something is wrong. */
export type OpenLines = () => AsyncIterable<string>

/**
 * Verifies an export and locates what was changed. An intact one is read in constant memory. `onPlace` is called with
 * every place of the chain.
 *
 * @throws Error if it is not an export
 */
export async function verifyExport(
  open: OpenLines,
  onPlace: (place: ChainPlace, line: number) => void = () => {},
): Promise<VerifiedExport> {
  const summary = await followChain(open(), onPlace)
  const { header, entries, last, erased, isIntact, findings } = summary
  const all = isIntact ? findings : findings.concat(findChanges(await collect(open())))
  if (!isIntact && all.length === 0)
    all.push({ kind: 'modified', line: 1, message: 'the chain is broken' })
  return {
    workspaceId: header.workspaceId,
    entries,
    first: header.base.sequence + 1,
    last,
    erased,
    findings: all.toSorted((a, b) => a.line - b.line),
  }
}

/** What was read so far. */
interface Progress {
  header: ExportHeader | undefined
  place: ChainPlace
  entries: number
  erased: number
  isIntact: boolean
  hasEnd: boolean
  isOtherWorkspace: boolean
  /** Of the first and the last line, and of lines that belong to no chain. */
  readonly findings: Finding[]
}

async function followChain(
  lines: AsyncIterable<string>,
  onPlace: (place: ChainPlace, line: number) => void,
) {
  const progress: Progress = {
    header: undefined,
    place: { sequence: 0, hash: '' },
    entries: 0,
    erased: 0,
    isIntact: true,
    hasEnd: false,
    isOtherWorkspace: false,
    findings: [],
  }
  for await (const [part, line] of readParts(lines)) {
    if (part.type === 'header') followHeader(progress, part.header)
    else if (progress.hasEnd) report(progress, 'inserted', line, 'follows the last line')
    else if (part.type === 'end') followEnd(progress, part.end, line)
    else followEntry(progress, part.entry)
    if (part.type === 'header' || part.type === 'entry') onPlace(progress.place, line)
  }
  const { header, place, hasEnd, isOtherWorkspace } = progress
  if (header === undefined) throw new Error('the file is empty')
  if (isOtherWorkspace) report(progress, 'modified', 1, 'names another workspace than the entries')
  return { ...progress, header, last: place.sequence, isIntact: progress.isIntact && hasEnd }
}

function report({ findings }: Progress, kind: Finding['kind'], line: number, message: string) {
  findings.push({ kind, line, message })
}

function followHeader(progress: Progress, header: ExportHeader): void {
  progress.header = header
  progress.place = header.base
  if (!header.isExact) report(progress, 'modified', 1, NOT_EXACT)
}

function followEntry(progress: Progress, entry: ExportLine): void {
  const { sequence = -1, hash, previousHash, isConsistent, workspaceId } = entry
  const { place } = progress
  const follows = sequence === place.sequence + 1 && previousHash === place.hash
  progress.isIntact &&= isConsistent && follows
  progress.isOtherWorkspace ||= isConsistent && workspaceId !== progress.header?.workspaceId
  progress.place = { sequence, hash }
  progress.entries += 1
  progress.erased += entry.erased
}

function followEnd(progress: Progress, end: ExportEnd, line: number): void {
  const { place, header } = progress
  progress.hasEnd = true
  progress.isIntact &&= end.sequence === place.sequence && end.hash === place.hash
  if (!end.isExact) report(progress, 'modified', line, NOT_EXACT)
  if (end.headerHash !== header?.hash)
    report(progress, 'modified', 1, 'is not the first line that the last one was written for')
}

const NOT_EXACT = 'is not written as the service writes it'

async function collect(lines: AsyncIterable<string>): Promise<CollectedExport> {
  let header: ExportHeader | undefined
  const collected: ExportLine[] = []
  for await (const [part] of readParts(lines)) {
    if (part.type === 'header') header = part.header
    else if (part.type === 'entry') collected.push(part.entry)
    else if (header !== undefined) return { header, lines: collected, end: part.end }
  }
  if (header === undefined) throw new Error('the file is empty')
  return { header, lines: collected, end: undefined }
}

async function* readParts(lines: AsyncIterable<string>): AsyncGenerator<[ExportPart, number]> {
  let line = 0
  for await (const text of lines) {
    line += 1
    yield [parseExportLine(text, line), line]
  }
}

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

/** Finds the checkpoint in a line of the service's log, in an event, or in a line of its own. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const line = value as { checkpoint?: unknown; data?: { checkpoint?: unknown } } | null
  const found = (line?.checkpoint ?? line?.data?.checkpoint ?? line) as Checkpoint | null
  const isCheckpoint =
    Number.isSafeInteger(found?.sequence) &&
    typeof found?.hash === 'string' &&
    typeof found.signature === 'string'
  return isCheckpoint ? found : undefined
}

/** Compares the places of a chain with checkpoints of it. */
export interface CheckpointVerifier {
  compare(place: ChainPlace, line: number): void
  readonly findings: readonly Finding[]
  /** How many checkpoints the export contains the entries of. */
  readonly compared: number
}

/** Creates a verifier. With a public key, a checkpoint without its valid signature is a finding. */
export function createCheckpointVerifier(
  checkpoints: readonly Checkpoint[],
  publicKey: string | undefined,
): CheckpointVerifier {
  const bySequence = groupBySequence(checkpoints)
  const findings: Finding[] = []
  let compared = 0
  const isForged = (checkpoint: Checkpoint) =>
    publicKey !== undefined && !isSignatureValid(checkpoint, publicKey)
  return {
    findings,
    get compared() {
      return compared
    },
    compare({ sequence, hash }, line) {
      for (const checkpoint of bySequence.get(sequence) ?? []) {
        compared += 1
        const { timestamp } = checkpoint
        const report = (message: string) => findings.push({ kind: 'checkpoint', line, message })
        if (isForged(checkpoint)) report(`the checkpoint of ${timestamp} has no valid signature`)
        else if (checkpoint.hash !== hash)
          report(`entry ${sequence} or one before it differs from the checkpoint of ${timestamp}`)
      }
    },
  }
}
