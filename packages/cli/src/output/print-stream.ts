import type { CommandContext } from '../command.ts'

/** Prints the body of a response as it arrives. */
export async function printStream(
  response: Response,
  { io }: Pick<CommandContext, 'io'>,
): Promise<void> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  for await (const chunk of response.body) io.stdout.write(decoder.decode(chunk, { stream: true }))
  io.stdout.write(decoder.decode())
}
