import { digestValue, type HashedEntry, hashEntry } from '../hash-entry.ts'
import { EXPORT_TYPE } from './export-format.ts'

/** What verification needs of one line of an export. */
export interface ExportLine {
  /** Counts from 1. */
  readonly line: number
  /** Undefined if the line has none. */
  readonly sequence: number | undefined
  readonly previousHash: string
  readonly hash: string
  /** Whether the line's hash is that of its contents, and its digests are those of its values. */
  readonly isConsistent: boolean
  /** How many personal values were erased. */
  readonly erased: number
}

/** A place in a chain. */
export interface ChainPlace {
  readonly sequence: number
  readonly hash: string
}

/** The first line: which chain it is, and the place before the first entry. */
export interface ExportHeader {
  readonly workspaceId: string | null
  readonly base: ChainPlace
}

/** The parts of an export. */
export type ExportPart =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | { readonly type: 'entry'; readonly entry: ExportLine }
  | { readonly type: 'end'; readonly end: ChainPlace }

/** All parts of an export. */
export interface CollectedExport {
  readonly header: ExportHeader
  readonly lines: readonly ExportLine[]
  readonly end: ChainPlace | undefined
}

/** What is wrong with an export. */
export interface Finding {
  readonly kind: 'modified' | 'inserted' | 'moved' | 'removed' | 'incomplete' | 'checkpoint'
  /** The line; of removed entries, the line before them. */
  readonly line: number
  readonly message: string
}

/** Parses a line of an export. The first line must be a header. @throws Error if it is not */
export function parseExportLine(text: string, line: number): ExportPart {
  const value = parseObject(text)
  if (line === 1) return { type: 'header', header: parseHeader(value) }
  if (value?.type === 'end')
    return { type: 'end', end: parsePlace(value) ?? { sequence: 0, hash: '' } }
  return { type: 'entry', entry: { line, ...checkEntry(value) } }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseHeader(value: Record<string, unknown> | undefined): ExportHeader {
  const base = isObject(value?.base) ? parsePlace(value.base) : undefined
  const workspaceId = value?.workspaceId
  const isKnown = typeof workspaceId === 'string' || workspaceId === null
  if (value?.type !== EXPORT_TYPE || value.version !== 1 || base === undefined || !isKnown)
    throw new Error('the first line is not the header of an export of version 1')
  return { workspaceId, base }
}

function parsePlace({ sequence, hash }: Record<string, unknown>): ChainPlace | undefined {
  const isPlace = Number.isSafeInteger(sequence) && typeof hash === 'string'
  return isPlace ? { sequence: sequence as number, hash } : undefined
}

function checkEntry(value: Record<string, unknown> | undefined): Omit<ExportLine, 'line'> {
  const { personal, previousHash, hash, ...entry } = value ?? {}
  const { sequence } = entry
  const place = {
    sequence: Number.isSafeInteger(sequence) ? (sequence as number) : undefined,
    previousHash: String(previousHash),
    hash: String(hash),
  }
  const inconsistent = { ...place, isConsistent: false, erased: 0 }
  if (!isObject(personal) || !isObject(entry.actor)) return inconsistent
  const ip = checkDigest(personal.ip, entry.actor.ip)
  const detail = checkDigest(personal.detail, entry.detail)
  if (ip === undefined || detail === undefined || detail.digest === null) return inconsistent
  const digests = { ip: ip.digest, detail: detail.digest }
  const expected = hashEntry(place.previousHash, entry as HashedEntry, digests)
  const erased = Number(ip.isErased) + Number(detail.isErased)
  return { ...place, isConsistent: expected === hash, erased }
}

interface CheckedDigest {
  readonly digest: string | null
  readonly isErased: boolean
}

/** Undefined if the digest is not that of the value. */
function checkDigest(personal: unknown, value: unknown): CheckedDigest | undefined {
  if (personal === null) return value === null ? { digest: null, isErased: false } : undefined
  if (!isObject(personal) || typeof personal.digest !== 'string') return undefined
  const { salt, digest } = personal
  if (salt === null) return value === null ? { digest, isErased: true } : undefined
  const isRight = typeof salt === 'string' && digestValue(salt, value) === digest
  return isRight ? { digest, isErased: false } : undefined
}
