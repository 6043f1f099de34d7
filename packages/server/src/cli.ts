import { readFileSync } from 'node:fs'
import { newAccessToken } from './caller/access-token.ts'
import { createInstanceKeyReader, type InstanceKey } from './catalogue/instance-key.ts'
import { judgeRegistry } from './catalogue/registry/judge-registry.ts'
import { signRegistry } from './catalogue/registry/sign-registry.ts'
import { tokenSeconds as parseSeconds } from './config/setting-parsers.ts'
import { readEnvironment } from './start/environment.ts'
import { exitCodeOf, sayWhy } from './start/exit.ts'
import { openCore } from './start/open-core.ts'
import { createTokenStore } from './token/token-store.ts'
import { addOwnerToken } from './user/ensure-owner.ts'
import { createUserStore } from './user/user-store.ts'

const DAY_MS = 86_400_000

const USAGE = `Usage:
  npm run token -- --owner         makes a further token of the owner and prints it;
                                   --seconds N: it expires after N seconds (default: LINCHPIN_OWNER_TOKEN_SECONDS)
  npm run token -- --new           prints a well-formed token for LINCHPIN_TOKEN; stores nothing
  npm run linchpin -- keys rotate  brings every workspace under the first key of LINCHPIN_KEYS; safe to repeat
  npm run linchpin -- registry key
                                   prints the public key of this installation, for LINCHPIN_REGISTRY_KEY elsewhere
  npm run linchpin -- registry sign FILE [--days N]
                                   prints a registry document, signed by this installation for N days (default: 30)`

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
  else if (command === 'registry key') return printRegistryKey()
  else if (args[0] === 'registry' && args[1] === 'sign') return signRegistryFile(args.slice(2))
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

async function printRegistryKey(): Promise<number> {
  console.log((await readInstanceKey()).publicKey)
  return 0
}

/** For a registry that is a file on a web server. */
async function signRegistryFile([file, flag, count = '30', ...more]: string[]): Promise<number> {
  const days = Number(count)
  const isDays = flag === undefined || (flag === '--days' && days >= 1 && days <= 366)
  if (file === undefined || !isDays || more.length > 0) {
    console.error(USAGE)
    return 64
  }
  const text = readFileSync(file, 'utf8')
  const document = judgeRegistry(text)
  if (typeof document === 'string') {
    console.error(document)
    return 65
  }
  const issuedAt = Date.now()
  const times = { issuedAt, expiresAt: issuedAt + days * DAY_MS }
  console.log(signRegistry(JSON.parse(text), await readInstanceKey(), times))
  return 0
}

async function readInstanceKey(): Promise<InstanceKey> {
  const core = await open()
  try {
    return await createInstanceKeyReader({ ...core, now: Date.now })()
  } finally {
    await core.database.close()
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
