import { newAccessToken } from './caller/access-token.ts'
import { tokenSeconds as parseSeconds } from './config/setting-parsers.ts'
import { readEnvironment } from './start/environment.ts'
import { exitCodeOf, sayWhy } from './start/exit.ts'
import { openCore } from './start/open-core.ts'
import { createTokenStore } from './token/token-store.ts'
import { addOwnerToken } from './user/ensure-owner.ts'
import { createUserStore } from './user/user-store.ts'

const USAGE = `Usage:
  npm run token -- --owner         makes a further token of the owner and prints it;
                                   --seconds N: it expires after N seconds (default: LINCHPIN_OWNER_TOKEN_SECONDS)
  npm run token -- --new           prints a well-formed token for LINCHPIN_TOKEN; stores nothing
  npm run linchpin -- keys rotate  brings every workspace under the first key of LINCHPIN_KEYS; safe to repeat`

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  sayWhy(error)
  return exitCodeOf(error)
})

async function main(args: readonly string[]): Promise<number> {
  const command = args.join(' ')
  const owner = /^token --owner(?: --seconds[ =](.*))?$/.exec(command)
  if (owner !== null) return printOwnerToken(owner[1])
  if (command === 'token --new') console.log(newAccessToken())
  else if (command === 'keys rotate') return rotateKeys()
  else {
    console.error(USAGE)
    return command === '' || command === '--help' ? 0 : 64
  }
  return 0
}

async function printOwnerToken(seconds: string | undefined): Promise<number> {
  const tokenSeconds = seconds === undefined ? config().ownerTokenSeconds : lifetime(seconds)
  if (tokenSeconds === 'wrong') return 64
  const { database } = await open()
  try {
    const stores = { users: createUserStore(database), tokens: createTokenStore(database) }
    const token = await addOwnerToken({ database, ...stores, tokenSeconds, now: Date.now })
    if (token === undefined) {
      console.error('There is no owner yet: start Linchpin once with `npm start`.')
      return 1
    }
    console.log(token)
    return 0
  } finally {
    await database.close()
  }
}

function lifetime(text: string): number | 'wrong' {
  try {
    return parseSeconds(text)
  } catch (error) {
    console.error(`--seconds: ${error instanceof Error ? error.message : ''}`)
    return 'wrong'
  }
}

async function rotateKeys(): Promise<number> {
  const { database, vault } = await open()
  try {
    const changed = await vault.rotateKeys()
    console.log(
      `${changed} workspace keys were brought under the first key. Older keys can be removed now.`,
    )
    return 0
  } finally {
    await database.close()
  }
}

function config() {
  return readEnvironment(process.env)
}

function open() {
  return openCore(config(), {
    exclusive: false,
    notice: (text) => console.error(text),
    onFatal: (error) => {
      throw error
    },
    now: Date.now,
  })
}
