import { testIntegrations } from '../src/testing.ts'

testIntegrations(new URL('../examples/', import.meta.url))
