import { isolation } from './isolation/main.ts'

// `npm run proof -- isolation [options]`: proofs that take minutes, and therefore are no part of the tests.
const [name, ...args] = process.argv.slice(2)
if (name !== 'isolation') {
  console.error('Usage: npm run proof -- isolation [options]')
  process.exit(2)
}
try {
  process.exitCode = (await isolation(args)) ? 0 : 1
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error)
  process.exitCode = 2
}
