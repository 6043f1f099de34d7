import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Runs one command of a bundle in plain Node, in a child process with an empty environment: the reference for results
 * of the sandbox. Resolves to the result as plain JSON data.
 *
 * @throws Error when the bundle throws, does not load or exits without a result
 */
export function runInNode(path: string, command: string, params: object = {}): Promise<unknown> {
  const child = fork(CHILD, { env: {}, execArgv: [], silent: true })
  return new Promise((resolve, reject) => {
    child.once('message', (message: { answer?: string; error?: string }) => {
      if (message.answer === undefined) reject(new Error(message.error))
      else resolve(JSON.parse(message.answer))
      child.kill()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The bundle ended its process (code ${code}).`)))
    child.send({ path, command, params })
  })
}

const CHILD = fileURLToPath(new URL('./run-in-node-child.cjs', import.meta.url))
