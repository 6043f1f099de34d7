import { readFileSync } from 'node:fs'
import path from 'node:path'

const DOCUMENT = path.resolve(import.meta.dirname, '../../../docs/self-hosting.md')

/** The blocks of shell commands below a heading of docs/self-hosting.md, unchanged. @throws Error if there are none */
export function readCommands(heading: string): readonly string[] {
  const text = readFileSync(DOCUMENT, 'utf8')
  const section = text.split(/^#{2,3} /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```sh\n(.+?)^```$/gms)].map(([, commands = '']) => commands)
  if (blocks.length === 0) throw new Error(`docs/self-hosting.md has no commands below ${heading}.`)
  return blocks
}
