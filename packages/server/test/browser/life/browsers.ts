import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import puppeteer, { type Browser, type LaunchOptions } from 'puppeteer-core'
import { CHROMIUM_ARGUMENTS, findChromium } from '../chromium.ts'

/** A browser of the machine: Chromium over its own protocol, Firefox ESR over WebDriver BiDi. */
interface InstalledBrowser {
  readonly name: string
  /** Its Debian package. */
  readonly package: string
  readonly executablePath: string
  readonly options: LaunchOptions
}

const FIREFOX = process.env.LINCHPIN_FIREFOX ?? '/usr/bin/firefox-esr'

const BROWSERS: readonly InstalledBrowser[] = [
  {
    name: 'Chromium',
    package: 'chromium-headless-shell',
    executablePath: findChromium(),
    options: {
      headless: findChromium().includes('headless-shell') ? 'shell' : true,
      args: [...CHROMIUM_ARGUMENTS, '--lang=en-GB'],
    },
  },
  {
    name: 'Firefox ESR',
    package: 'firefox-esr',
    executablePath: FIREFOX,
    options: {
      browser: 'firefox',
      protocol: 'webDriverBiDi',
      extraPrefsFirefox: {
        'intl.accept_languages': 'en-GB,en',
        'dom.disable_open_during_load': true,
      },
    },
  },
]

/** Far longer than a browser takes to start and to respond, because tests must pass on a busy machine. */
const TIMEOUT_MS = 120_000

/** Describes tests once for each browser. One that is missing is reported, and fails when CI=true. */
export function describeInBrowsers(
  title: string,
  define: (launch: () => Promise<Browser>) => void,
): void {
  for (const { name, package: debianPackage, executablePath, options } of BROWSERS)
    describe(`${title} in ${name}`, () => {
      if (existsSync(executablePath)) return define(() => launch(executablePath, options))
      it(`reports that ${name} was not found`, (t) => {
        const text = `${name} was not found at ${executablePath}`
        t.diagnostic(`${text}: skipping its tests`)
        assert.notEqual(
          process.env.CI,
          'true',
          `${text}, and CI=true requires it. Install the Debian package ${debianPackage}.`,
        )
      })
    })
}

function launch(executablePath: string, options: LaunchOptions): Promise<Browser> {
  return puppeteer.launch({
    executablePath,
    timeout: TIMEOUT_MS,
    protocolTimeout: TIMEOUT_MS,
    defaultViewport: { width: 1_024, height: 768 },
    ...options,
  })
}
