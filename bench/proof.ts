import { isolation } from './isolation/main.ts'
import { runTestProof, TEST_PROOFS } from './test-proofs.ts'

// `npm run proof -- NAME [options]`: proofs that take minutes. `npm test` runs a short form of each, or a part.
const [name, ...args] = process.argv.slice(2)
const testProof = TEST_PROOFS.find((proof) => proof.name === name)
if (name === 'isolation') await runIsolation()
else if (testProof !== undefined) process.exitCode = await runTestProof(testProof, args)
else {
  printUsage()
  process.exitCode = name === undefined ? 0 : 2
}

async function runIsolation(): Promise<void> {
  try {
    process.exitCode = (await isolation(args)) ? 0 : 1
  } catch (error) {
    console.error(error instanceof TypeError ? error.message : error)
    process.exitCode = 2
  }
}

function printUsage(): void {
  const proofs = [
    {
      name: 'isolation',
      description:
        'what a hostile tenant costs its neighbor; --scenario, --database, --seconds, --rounds',
    },
    ...TEST_PROOFS,
  ]
  const lines = proofs.map(({ name: each, description }) => `  ${each.padEnd(15)} ${description}`)
  console.log(`Usage: npm run proof -- NAME [options]\n\n${lines.join('\n')}`)
}
