import type { Command, CommandContext } from '../command.ts'
import { connect, readGivenToken, resolveProfile, resolveUrl } from '../connect.ts'
import { printResult } from '../output/print-result.ts'
import { readHidden } from '../secret-input.ts'
import { UsageError } from '../usage-error.ts'

/** `login`, `logout` and `whoami`. */
export const PROFILE_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'Store a token',
    description:
      'Asks for an access token without showing it, or reads it from standard input or LINCHPIN_TOKEN, tries it, and stores it in a file that only you can read.',
    positionals: [],
    flags: [],
    run: async (_input, context) => login(context),
  },
  {
    name: 'logout',
    summary: 'Forget the stored token',
    description:
      'Removes the profile from this computer. The token remains valid: see tokens delete.',
    positionals: [],
    flags: [],
    run: async (_input, { profiles, profileName, io }) => {
      const isDeleted = await profiles.delete(profileName)
      io.stderr.write(
        isDeleted
          ? `Removed the profile ${profileName}.\n`
          : `There is no profile ${profileName}.\n`,
      )
      return 0
    },
  },
  {
    name: 'whoami',
    summary: 'Show whose token is used, and where',
    positionals: [],
    flags: [],
    run: async (_input, context) => {
      const profile = await resolveProfile(context)
      const user = await connect(profile, context.io).users.getCurrent({
        signal: context.io.signal,
      })
      await printResult({ url: profile.url, ...user }, context)
      return 0
    },
  },
]

async function login(context: CommandContext): Promise<number> {
  const { io, profiles, profileName } = context
  const url = await resolveUrl(context)
  const given = await readGivenToken(context)
  const token = given ?? (await readHidden(`Token for ${url}: `, io)).trim()
  if (token === '') throw new UsageError('There is no token.')
  const { email } = await connect({ url, token }, io).users.getCurrent({ signal: io.signal })
  await profiles.set(profileName, { url, token })
  io.stderr.write(`Logged in to ${url} as ${email}.\n`)
  return 0
}
