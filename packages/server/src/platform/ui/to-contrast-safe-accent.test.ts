import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { getStyleSheet } from './assets.ts'
import { type AccentColours, contrast, DEFAULT_ACCENT, toContrastSafeAccent } from './branding.ts'

const SHEET = getStyleSheet().toString()

describe('contrastSafeAccent', () => {
  it('has readable text on buttons and beside them in both themes', () => {
    const light = createTokenReader(/:root \{([^}]+)\}/)
    const dark = createTokenReader(/\[data-theme="dark"\] \{([^}]+)\}/)
    const part = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(part, part, part, (...parts) => {
        const hex = `#${parts.map((one) => one.toString(16).padStart(2, '0')).join('')}`
        const accents = toContrastSafeAccent(hex)
        for (const [colours, theme] of [
          [accents.light, light],
          [accents.dark, dark],
        ] as const) {
          assert.ok(contrast(colours.fill, colours.onFill) >= 4.5, `${hex}: on its button`)
          for (const background of ['card', 'ground', 'field', 'hover'])
            assert.ok(contrast(colours.text, theme(background)) >= 4.5, `${hex}: on ${background}`)
        }
      }),
    )
  })

  it('keeps an accent that is readable', () => {
    assert.equal(toContrastSafeAccent('#2f5bd8').light.fill, '#2f5bd8')
    assert.equal(toContrastSafeAccent('#ffd400').light.fill, '#ffd400')
    assert.equal(toContrastSafeAccent('#ffd400').dark.text, '#ffd400')
    assert.notEqual(toContrastSafeAccent('#ffd400').light.text, '#ffd400')
  })

  it('inverts a gray accent without enough contrast', () => {
    assert.deepEqual(getButtonColours(toContrastSafeAccent('#000000').dark), ['#eceef2', '#101218'])
    assert.deepEqual(getButtonColours(toContrastSafeAccent('#ffffff').light), [
      '#101218',
      '#ffffff',
    ])
    assert.deepEqual(getButtonColours(toContrastSafeAccent('#000000').light), [
      '#000000',
      '#ffffff',
    ])
  })

  it('accepts three digits, and uses the default for anything else', () => {
    assert.deepEqual(toContrastSafeAccent('#36f'), toContrastSafeAccent('#3366ff'))
    for (const invalid of [undefined, '', 'red', '#12', '#1234567', '#ggg', '36f', ' #3366ff'])
      assert.deepEqual(toContrastSafeAccent(invalid), toContrastSafeAccent(DEFAULT_ACCENT))
  })

  it('has the same default as the style sheet', () => {
    const { light, dark } = toContrastSafeAccent(undefined)
    for (const written of [
      `--light-fill, ${light.fill})`,
      `--light-accent, ${light.text})`,
      `--dark-fill, ${dark.fill})`,
      `--dark-accent, ${dark.text})`,
    ])
      assert.ok(SHEET.includes(written), written)
  })
})

describe('The style sheet', () => {
  const themes = { light: /:root \{([^}]+)\}/, dark: /\[data-theme="dark"\] \{([^}]+)\}/ }
  for (const [name, block] of Object.entries(themes))
    it(`has readable text in the ${name} theme`, () => {
      const token = createTokenReader(block)
      const pairs = [
        ...['card', 'ground', 'field', 'hover', 'tile'].flatMap((background) => [
          [`text`, background],
          ['quiet', background],
        ]),
        ...['good', 'bad', 'warn'].map((state) => [state, `${state}-ground`]),
        ...['good', 'bad'].map((state) => [state, 'card']),
      ] as [string, string][]
      for (const [text, background] of pairs)
        assert.ok(contrast(token(text), token(background)) >= 4.5, `${text} on ${background}`)
      assert.ok(contrast(token('edge'), token('field')) >= 3, 'edges of fields')
    })

  it('has the same dark theme by system and by choice', () => {
    const chosen = /\[data-theme="dark"\] \{([^}]+)\}/.exec(SHEET)?.[1]
    const system = /:root:not\(\[data-theme\]\) \{([^}]+)\}/.exec(SHEET)?.[1]
    assert.ok(chosen?.includes('--card'))
    assert.equal(system?.replace(/\s+/g, ' '), chosen?.replace(/\s+/g, ' '))
  })

  it('is small and loads nothing from other origins', () => {
    assert.ok(SHEET.length < 18_750, `${SHEET.length} bytes`)
    assert.doesNotMatch(SHEET, /@import/)
    const urls = [...SHEET.matchAll(/url\(([^)]*)\)/g)].map(([, url]) => url)
    assert.equal(urls.length, 2)
    for (const url of urls) assert.match(url ?? '', /^(?:fonts\/inter|chevron)\.[\w-]{10}\.\w+$/)
  })
})

function getButtonColours({ fill, onFill }: AccentColours): string[] {
  return [fill, onFill]
}

function createTokenReader(block: RegExp): (name: string) => string {
  const body = block.exec(SHEET)?.[1] ?? ''
  return (name) => {
    const [, value] = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(body) ?? []
    assert.ok(value, `the sheet has --${name}`)
    return value
  }
}
