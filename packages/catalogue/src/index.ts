export type { CatalogueEntry, CatalogueVersion } from './catalogue-entry.ts'
export { compareVersions } from './compare-versions.ts'
export { type Catalogue, loadCatalogue } from './load-catalogue.ts'
export { translateCatalogueText } from './texts/translate-catalogue-text.ts'
