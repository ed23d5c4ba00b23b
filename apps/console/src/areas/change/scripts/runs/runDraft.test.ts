import { ScriptParameter } from '@muster/areas/change/scripts/parameters.contract.ts'
import { describe, expect, it } from 'vitest'
import { faultOfValues, valueDraftsOf, valuesOf } from './runDraft.ts'

const parameters = [
  { name: 'path', type: 'text', required: true },
  { name: 'host', type: 'text', default: { field: 'hostname' } },
  { name: 'key', type: 'secret', default: { secret: 'api-key' } },
  { name: 'deep', type: 'boolean' },
  { name: 'count', type: 'number', label: 'How many' },
].map((each) => ScriptParameter.parse(each))
const drafts = valueDraftsOf(parameters)

describe('the values of a run', () => {
  it('begin with the defaults, and what is empty is left out', () => {
    expect(valuesOf(parameters, drafts)).toEqual({
      ...{ host: { field: 'hostname' }, key: { secret: 'api-key' }, deep: false },
    })
  })

  it('have the types of their parameters', () => {
    const typed = {
      ...drafts,
      path: { kind: 'typed' as const, text: '/' },
      count: { kind: 'typed' as const, text: '5' },
    }
    expect(valuesOf(parameters, typed)).toMatchObject({ path: '/', count: 5 })
    expect(faultOfValues(parameters, typed)).toBeUndefined()
  })

  it('are incomplete without what is required, or with text for a number', () => {
    expect(faultOfValues(parameters, drafts)).toBe('path: enter a value')
    const wrong = {
      ...drafts,
      path: { kind: 'typed' as const, text: '/' },
      count: { kind: 'typed' as const, text: 'x' },
    }
    expect(faultOfValues(parameters, wrong)).toBe('How many: enter a number')
  })
})
