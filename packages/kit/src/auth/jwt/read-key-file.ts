import { CheckFailure } from '../../spec/check-failure.ts'

/**
 * Reads a key file in JSON, as Google creates them for service accounts.
 *
 * @returns its `private_key`, and the texts with the given names
 * @throws CheckFailure with what is missing; it contains nothing of the file
 */
export function readKeyFile(
  text: string,
  names: readonly string[],
  field: string,
): Readonly<Record<string, string>> {
  const file = parseObject(text)
  if (file === undefined)
    throw new CheckFailure(
      'invalid_credentials',
      'This is not a key file in JSON.',
      field,
      'Paste the whole file, from its first to its last brace.',
    )
  const found = ['private_key', ...names].map((name) => {
    const value = Object.hasOwn(file, name) ? file[name] : undefined
    if (typeof value === 'string' && value !== '') return [name, value] as const
    throw new CheckFailure(
      'invalid_credentials',
      `The key file has no "${name}".`,
      field,
      'Create a new key in JSON at the provider, and paste the whole file.',
    )
  })
  return Object.fromEntries(found)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
