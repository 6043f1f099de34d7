/** The key of an enum value in `x-labels` and in forms. Enum values may be objects, which String() would not serialize. */
export function getOptionKey(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
