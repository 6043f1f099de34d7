import type { CommandContext } from '../command.ts'
import { escapeControls } from './escape-controls.ts'

/** Prints the body of a response as it arrives: unchanged, but on a terminal without what controls it. */
export async function printStream(
  response: Response,
  { io }: Pick<CommandContext, 'io'>,
): Promise<void> {
  if (response.body === null) return
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const write = (text: string) => io.stdout.write(io.stdout.isTTY ? escapeControls(text) : text)
  for await (const chunk of response.body) write(decoder.decode(chunk, { stream: true }))
  write(decoder.decode())
}
