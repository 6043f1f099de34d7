import { findChanges } from './find-changes.ts'
import type {
  ChainPlace,
  CollectedExport,
  ExportHeader,
  ExportLine,
  ExportPart,
  Finding,
} from './read-export.ts'
import { parseExportLine } from './read-export.ts'

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
 * Verifies an export and locates what was changed. An intact one is read in constant memory. `onEntry` is called with
 * every place of the chain.
 *
 * @throws Error if it is not an export
 */
export async function verifyExport(
  open: OpenLines,
  onPlace: (place: ChainPlace, line: number) => void = () => {},
): Promise<VerifiedExport> {
  const summary = await followChain(open(), onPlace)
  const { header, entries, last, erased, isIntact } = summary
  const result = {
    ...{ workspaceId: header.workspaceId, first: header.base.sequence + 1 },
    ...{ entries, last, erased },
  }
  return { ...result, findings: isIntact ? [] : findChanges(await collect(open())) }
}

async function followChain(
  lines: AsyncIterable<string>,
  onPlace: (place: ChainPlace, line: number) => void,
) {
  let header: ExportHeader | undefined
  let place: ChainPlace = { sequence: 0, hash: '' }
  let [entries, erased, isIntact, hasEnd] = [0, 0, true, false]
  for await (const [part, line] of readParts(lines)) {
    if (part.type === 'header') {
      header = part.header
      place = header.base
      onPlace(place, line)
    } else if (part.type === 'end') {
      hasEnd = true
      isIntact &&= part.end.sequence === place.sequence && part.end.hash === place.hash
    } else {
      const { sequence = -1, hash, previousHash, isConsistent } = part.entry
      const follows = sequence === place.sequence + 1 && previousHash === place.hash
      isIntact &&= isConsistent && follows && !hasEnd
      place = { sequence, hash }
      entries += 1
      erased += part.entry.erased
      onPlace(place, line)
    }
  }
  if (header === undefined) throw new Error('the file is empty')
  return { header, entries, last: place.sequence, erased, isIntact: isIntact && hasEnd }
}

async function collect(lines: AsyncIterable<string>): Promise<CollectedExport> {
  let header: ExportHeader | undefined
  let end: ChainPlace | undefined
  const collected: ExportLine[] = []
  for await (const [part] of readParts(lines)) {
    if (part.type === 'header') header = part.header
    else if (part.type === 'end') end = part.end
    else collected.push(part.entry)
  }
  if (header === undefined) throw new Error('the file is empty')
  return { header, lines: collected, end }
}

async function* readParts(lines: AsyncIterable<string>): AsyncGenerator<[ExportPart, number]> {
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() !== '') yield [parseExportLine(text, line), line]
  }
}
