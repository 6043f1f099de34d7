import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadCatalogue, translateCatalogueText } from '@linchpin/catalogue'
import type { InputProperty, Spec } from '@linchpin/runner'
import { LANGUAGES, type Language, translateCommonLabel } from '../../../platform/i18n/language.ts'
import { createFormFields } from './auth-method.ts'
import { localizeFields } from './field-texts.ts'

const CUSTOM = { latestVersion: null }
const FROM_CATALOGUE = { latestVersion: '1.0.0' }

describe('localizeFields', () => {
  const spec: Record<string, InputProperty> = {
    region: {
      title: 'Region',
      description: 'In the console, under API keys.',
      enum: ['eu', 'us', 'x'],
      'x-labels': { eu: 'Europe', us: 'Over there', x: 'X' },
      'x-i18n': {
        fr: { title: 'Zone', description: 'Dans la console.', 'x-labels': { us: 'Là-bas' } },
      },
    },
    key: { title: 'API key', 'x-placeholder': 'key', 'x-i18n': { de: { 'x-placeholder': 'Key' } } },
  }

  it('takes the texts of x-i18n, then common labels, then the texts of the spec', () => {
    const [region, key] = localize(spec, 'fr', CUSTOM)
    assert.deepEqual([region?.label, region?.help], ['Zone', 'Dans la console.'])
    assert.deepEqual(
      region?.options.map(({ text }) => text),
      ['Europe', 'Là-bas', 'X'],
    )
    assert.deepEqual([key?.label, key?.attributes.placeholder], ['Clé d’API', 'key'])
    const [german, germanKey] = localize(spec, 'de', CUSTOM)
    assert.deepEqual(
      german?.options.map(({ text }) => text),
      ['Europa', 'Over there', 'X'],
    )
    assert.equal(germanKey?.attributes.placeholder, 'Key')
    assert.deepEqual(localize(spec, 'en', CUSTOM), createFields(spec))
  })

  it('translates help only for the catalogue', () => {
    assert.equal(localize(spec, 'de', CUSTOM)[0]?.help, 'In the console, under API keys.')
    assert.equal(localize(spec, 'de', FROM_CATALOGUE)[0]?.help, 'In der Konsole unter „API keys“.')
  })

  it('translates groups and the fields in them', () => {
    const x = { de: { title: 'Vermittler' } }
    const proxy = { type: 'object', title: 'Proxy', 'x-i18n': x, properties: { port: {} } }
    const [port] = localize({ proxy } as Record<string, InputProperty>, 'de', CUSTOM)
    assert.deepEqual([port?.group?.label, port?.label], ['Vermittler', 'Port'])
  })

  it('ignores invalid texts inside objects, which specs are not validated for', () => {
    for (const texts of [
      7,
      null,
      [],
      { de: 7 },
      { de: { title: 7, 'x-labels': 'x' } },
      { de: { title: ' ' } },
    ]) {
      const properties = { own: { title: 'Own', enum: ['a'], 'x-i18n': texts } }
      const [own] = localize({ o: { type: 'object', properties } } as never, 'de', CUSTOM)
      assert.deepEqual([own?.label, own?.options[0]?.text], ['Own', 'a'])
    }
  })
})

describe('The texts of the catalogue', async () => {
  const { entries } = await loadCatalogue()
  const properties = entries.flatMap(({ versions: [newest] }) => {
    const { other_inputs, auth_specification } = JSON.parse(newest?.spec ?? '{}') as Spec
    const inputs = [other_inputs, ...Object.values(auth_specification)]
    return inputs.flatMap((each) => Object.values(each?.input_specification?.properties ?? {}))
  })
  const isTranslated = (text: string, own: string | undefined) =>
    own !== undefined ||
    translateCommonLabel('de', text) !== undefined ||
    translateCatalogueText('de', text) !== undefined

  it('have every label that three integrations use in every language', () => {
    assert.ok(entries.length >= 300)
    const titles = properties.flatMap(({ title }) => title ?? [])
    const counts = Map.groupBy(titles, (title) => title)
    const common = [...counts.keys()].filter((title) => (counts.get(title)?.length ?? 0) >= 3)
    assert.ok(common.length > 10)
    for (const language of LANGUAGES.slice(1))
      for (const title of common) assert.ok(translateCommonLabel(language, title), title)
  })

  it('have every label and help text in German', () => {
    for (const { title = '', description, 'x-i18n': i18n } of properties) {
      assert.ok(isTranslated(title, i18n?.de?.title), title)
      if (description !== undefined)
        assert.ok(isTranslated(description, i18n?.de?.description), description)
    }
  })

  it('have every value in German, but names of products, regions and hosts', () => {
    for (const { 'x-labels': labels = {}, 'x-i18n': i18n } of properties)
      for (const [value, label] of Object.entries(labels)) {
        const own = i18n?.de?.['x-labels']?.[value]
        const isName = /^(?:[A-Z]{2,5}[\d-]*\b|[a-z.]+\.|DeepL|AWS|Azure|Google)/.test(label)
        assert.ok(isTranslated(label, own) || isName, label)
      }
  })
})

function createFields(properties: Record<string, InputProperty>) {
  return createFormFields({
    properties: new Map(Object.entries(properties)),
    required: [],
    declaresRequired: true,
  })
}

function localize(
  properties: Record<string, InputProperty>,
  language: Language,
  definition: { latestVersion: string | null },
) {
  return localizeFields(createFields(properties), language, definition)
}
