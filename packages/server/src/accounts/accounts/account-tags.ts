import Type from 'typebox'

/** Tags of an account: values by key. */
export type Tags = Readonly<Record<string, string>>

/** `tags` in responses. */
export const TagsResponse = Type.Record(Type.String(), Type.String(), {
  description: 'The tags: values by key.',
})

/** `tags` in requests. */
export const TagsInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 20,
  patternProperties: { '^[A-Za-z0-9_.-]{1,64}$': { type: 'string', maxLength: 255 } },
  additionalProperties: false,
  description:
    'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
})

/** The stored form: JSON, ordered by key. */
export function stringifyTags(tags: Tags): string {
  const entries = Object.entries(tags)
  // Most accounts have none.
  return entries.length === 0
    ? '{}'
    : JSON.stringify(Object.fromEntries(entries.toSorted(compareKeys)))
}

function compareKeys([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1
}
