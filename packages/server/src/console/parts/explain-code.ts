import { ERROR_MEANINGS } from '../../platform/error-meanings.ts'

/** The sentence of docs/errors.md, without its marks of code; undefined for a code that is not there. */
export function explainCode(code: string): string | undefined {
  return (ERROR_MEANINGS as Readonly<Record<string, string>>)[code]?.replaceAll('`', '')
}
