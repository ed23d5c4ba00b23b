import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { anyone, csv, get, id, patch, unaudited } from './contract.ts'
import { parseInput } from './input.ts'

const things = {
  list: get('/things', {
    summary: 'List things',
    access: anyone,
    input: z.object({
      orgIds: csv(id()).optional(),
      filter: z.object({ all: z.array(z.object({ field: z.string() })) }).optional(),
    }),
    output: z.object({}),
  }),
  update: patch('/things/:id', {
    summary: 'Update a thing',
    access: anyone,
    audit: unaudited('test'),
    input: z.object({
      id: id(),
      displayName: z.string().optional(),
      settings: z.record(z.string(), z.json()).optional(),
    }),
    output: z.object({}),
  }),
  callback: get('/callback', {
    summary: 'Take an answer of another service',
    access: anyone,
    input: z.object({ code: z.string() }),
    output: z.object({}),
    ignoresUnknown: 'its standard says so',
  }),
}
const thing = '11111111-1111-1111-1111-111111111111'
const said = (endpoint: Parameters<typeof parseInput>[0], given: unknown) => {
  try {
    parseInput(endpoint, given)
    return 'accepted'
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

describe('fields that an operation does not declare', () => {
  it('are refused by name, with the fields that it knows', () => {
    expect(said(things.update, { id: thing, tags: [] })).toBe(
      'Unknown field: tags. Known fields: id, displayName, settings',
    )
  })
  it('point to the field that was meant', () => {
    expect(said(things.list, { 'orgIds[]': thing })).toBe('Unknown field: orgIds[]. Did you mean orgIds?')
    expect(said(things.update, { id: thing, display_name: 'x' })).toBe(
      'Unknown field: display_name. Did you mean displayName?',
    )
  })
  it('are refused at every depth, with their place', () => {
    expect(said(things.list, { filter: { all: [{ field: 'a' }, { field: 'b', colour: 1 }] } })).toBe(
      'Unknown field: filter.all.1.colour. Known fields: field',
    )
  })
  it('are free in objects that are free-form', () => {
    expect(said(things.update, { id: thing, settings: { any: { depth: 1 } } })).toBe('accepted')
  })
  it('are ignored where a standard says so', () => {
    expect(said(things.callback, { code: 'c', session_state: 's' })).toBe('accepted')
  })
})

describe('an empty list', () => {
  it.each(['', ',', []])('%j is refused, because it would not limit anything', (orgIds) => {
    expect(said(things.list, { orgIds })).toBe('orgIds: must not be empty. Leave it out to ask for all')
  })
})
