import { newAccessToken } from './caller/access-token.ts'
import { readEnvironment } from './start/environment.ts'
import { exitCodeOf, sayWhy } from './start/exit.ts'
import { openCore } from './start/open-core.ts'
import { createTokenStore } from './token/token-store.ts'
import { addOwnerToken } from './user/ensure-owner.ts'
import { createUserStore } from './user/user-store.ts'

const USAGE = `Usage:
  npm run token -- --owner         makes a further token of the owner and prints it
  npm run token -- --new           prints a well-formed token for LINCHPIN_TOKEN; stores nothing
  npm run linchpin -- keys rotate  brings every workspace under the first key of LINCHPIN_KEYS; safe to repeat`

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  sayWhy(error)
  return exitCodeOf(error)
})

async function main(args: readonly string[]): Promise<number> {
  const command = args.join(' ')
  if (command === 'token --new') console.log(newAccessToken())
  else if (command === 'token --owner') return printOwnerToken()
  else if (command === 'keys rotate') return rotateKeys()
  else {
    console.error(USAGE)
    return command === '' || command === '--help' ? 0 : 64
  }
  return 0
}

async function printOwnerToken(): Promise<number> {
  const { database } = await open()
  try {
    const stores = { users: createUserStore(database), tokens: createTokenStore(database) }
    const token = await addOwnerToken({ database, ...stores, now: Date.now })
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

function open() {
  return openCore(readEnvironment(process.env), {
    exclusive: false,
    notice: (text) => console.error(text),
    onFatal: (error) => {
      throw error
    },
    now: Date.now,
  })
}
