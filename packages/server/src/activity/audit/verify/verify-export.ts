import { findChanges } from './find-changes.ts'
import type {
  ChainPlace,
  CollectedExport,
  ExportEnd,
  ExportHeader,
  ExportLine,
  ExportPart,
  Finding,
} from './read-export.ts'
import { parseExportLine } from './read-export.ts'

export interface VerifiedExport {
  readonly workspaceId: string | null
  /** The first line of version 1 is not verified. */
  readonly version: 1 | 2
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
    version: header.version,
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
  const expected = header?.version === 1 ? undefined : header?.hash
  if (end.headerHash !== expected)
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
