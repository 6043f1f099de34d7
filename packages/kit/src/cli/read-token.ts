import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** The value of `--token`: an API token, or the content of the file with this name. @throws UsageError */
export async function readToken(value: string): Promise<string> {
  const token = value.startsWith('lp_') ? value : await readFile(value, 'utf8').catch(() => '')
  if (token.trim() === '')
    throw new UsageError(`--token is neither a token nor a readable file: ${value}`)
  return token.trim()
}
