import { isolation } from './main.ts'

// The program of the proof `isolation`: npm run proof -- isolation [options].
try {
  process.exitCode = (await isolation(process.argv.slice(2))) ? 0 : 1
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error)
  process.exitCode = 2
}
