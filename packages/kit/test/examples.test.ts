import { testIntegrations } from '../src/testing.ts'

testIntegrations(new URL('../examples/', import.meta.url))
testIntegrations(new URL('./integrations/', import.meta.url))
