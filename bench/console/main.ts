import { loadavg } from 'node:os'
import { postgresAvailable, startPostgres } from '../../packages/server/test/postgres-cluster.ts'
import { startChild } from '../child.ts'
import { measureApiEffect } from './api-effect.ts'
import { measureBrowser } from './browser.ts'
import { createConsoleDatabase } from './console-database.ts'
import { measurePages } from './pages.ts'
import { measureStarts } from './starts.ts'

/** What of the console to measure. */
export interface ConsoleOptions {
  /** In the workspace of the console. */
  readonly accounts: number
  readonly database: string | undefined
  /** Parts whose names contain one of these texts. */
  readonly only: readonly string[]
}

type Part = (database: Awaited<ReturnType<typeof createConsoleDatabase>>) => Promise<void>

/** Prints the figures of the console and their goals, for both databases. */
export async function measureConsole(options: ConsoleOptions): Promise<void> {
  const desk = await startChild('./desk-server.ts')
  try {
    if (options.database !== 'postgres') await measureOn('SQLite', desk, options)
    if (options.database === 'sqlite') return
    if (!postgresAvailable()) return console.log('\nPostgreSQL was not found.')
    await measureOn('PostgreSQL on the same machine', desk, options)
  } finally {
    await desk.stop()
  }
}

async function measureOn(
  title: string,
  desk: { readonly url: string },
  { accounts, only }: ConsoleOptions,
): Promise<void> {
  const postgres = title === 'SQLite' ? undefined : await startPostgres()
  console.log(`\n## ${title}, ${accounts.toLocaleString('en')} accounts in the workspace`)
  const database = await createConsoleDatabase(desk, accounts, postgres)
  const parts: Readonly<Record<string, Part>> = {
    pages: (each) => measurePages(each, accounts),
    browser: measureBrowser,
    effect: measureApiEffect,
    starts: measureStarts,
  }
  try {
    for (const [name, measure] of Object.entries(parts))
      if (only.some((text) => name.includes(text))) await measure(database)
    console.log(`\nLoad average at the end: ${loadavg()[0]?.toFixed(1)}`)
  } finally {
    await database.remove()
    await postgres?.stop()
  }
}
