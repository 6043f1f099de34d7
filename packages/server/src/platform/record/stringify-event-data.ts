/**
 * The data of an event as JSON of at most 16,000 bytes, so that an event has at most 20,000. Of data that is larger, the longest
 * arrays are cut to their first items and then the longest texts to their first 200 characters; `truncated` lists their
 * paths. What remains is still valid by the schema of the type.
 */
export function stringifyEventData(data: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(data)
  if (json.length * MAX_BYTES_PER_UNIT <= MAX_BYTES || Buffer.byteLength(json) <= MAX_BYTES)
    return json
  return truncate(JSON.parse(json) as Json)
}

type Json = Record<string, unknown>

interface Member {
  readonly path: string
  readonly owner: Json
  readonly name: string
  readonly bytes: number
}

function truncate(data: Json): string {
  const members = listMembers(data)
  const isArray = ({ owner, name }: Member) => Array.isArray(owner[name])
  const bySize = (one: Member, other: Member) => other.bytes - one.bytes
  const arrays = members.filter(isArray).sort(bySize)
  const texts = members.filter((member) => !isArray(member)).sort(bySize)
  const truncated: string[] = []
  let excess = Buffer.byteLength(JSON.stringify(data)) - MAX_BYTES + RESERVED_BYTES
  for (const { path, owner, name, bytes } of [...arrays, ...texts]) {
    if (excess <= 0) break
    const shorter = shorten(owner[name], bytes - excess)
    excess -= bytes - measure(shorter)
    owner[name] = shorter
    truncated.push(path)
  }
  return JSON.stringify({ ...data, truncated })
}

/** The arrays and texts of the data and of the resources in it. */
function listMembers(data: Json, prefix = ''): Member[] {
  return Object.entries(data).flatMap(([name, value]): Member[] => {
    const path = prefix + name
    if (typeof value === 'string' || Array.isArray(value))
      return [{ path, owner: data, name, bytes: measure(value) }]
    return typeof value === 'object' && value !== null ? listMembers(value as Json, `${path}.`) : []
  })
}

/** The first items of an array that fit into `bytes`, or the beginning of a text. */
function shorten(value: unknown, bytes: number): unknown {
  if (!Array.isArray(value)) return String(value).slice(0, MAX_TEXT).toWellFormed()
  let remaining = bytes - 2
  const end = value.findIndex((item) => {
    remaining -= measure(item) + 1
    return remaining < 0
  })
  return end === -1 ? value : value.slice(0, end)
}

const measure = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const MAX_BYTES = 16_000
/** In UTF-8, of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3
/** For the paths in `truncated`. */
const RESERVED_BYTES = 1_000
const MAX_TEXT = 200
