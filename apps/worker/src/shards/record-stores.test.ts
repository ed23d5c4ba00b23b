import { records } from '@muster/areas/work.ts'
import { describe, expect, it } from 'vitest'
import { recordStores } from './record-stores.ts'

describe('recordStores', () => {
  it('finds the store of every record in the areas', () => {
    const stores = recordStores(records)
    expect(stores.get('result')).toBe(stores.get('progress'))
    expect(stores.get('inventory')?.keep).toBe('latest')
  })

  it('throws when a record has no store', () => {
    const others = records.filter(({ names }) => !names.includes('inventory'))
    expect(() => recordStores(others)).toThrow('No area stores inventory')
  })

  it('throws when a record has two stores', () => {
    expect(() => recordStores([...records, ...records])).toThrow('Two areas store')
  })
})
