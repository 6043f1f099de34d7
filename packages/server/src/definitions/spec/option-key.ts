/** A listed value as `x-labels` name it and forms send it. A spec may list anything: not all of it turns into text by itself. */
export function optionKey(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
