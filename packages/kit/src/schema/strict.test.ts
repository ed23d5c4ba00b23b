import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { anyone, csv, get, id, limit, patch, unaudited } from '../contract.ts'
import { parseInput } from '../operation/input.ts'

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
const wide = get('/wide', {
  summary: 'List much',
  access: anyone,
  input: z.object({
    limit: limit(),
    search: z.string().optional(),
    size: z.union([z.number(), z.boolean()]).optional(),
    status: z.enum(['active', 'ended']).optional(),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, z.string().optional()])),
  }),
  output: z.object({}),
})
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
  it('are refused with the first twenty of many known fields', () => {
    expect(said(wide, { color: 1 })).toMatch(
      /^Unknown field: color\. Known fields: limit, search, .*, field15 and 4 more, see the API description$/,
    )
  })
  it('point to the field that was meant', () => {
    expect(said(things.list, { 'orgIds[]': thing })).toBe('Unknown field: orgIds[]. Did you mean orgIds?')
    expect(said(things.update, { id: thing, display_name: 'x' })).toBe(
      'Unknown field: display_name. Did you mean displayName?',
    )
  })
  it('are refused at every depth, with their place', () => {
    expect(said(things.list, { filter: { all: [{ field: 'a' }, { field: 'b', color: 1 }] } })).toBe(
      'Unknown field: filter.all.1.color. Known fields: field',
    )
  })
  it('are free in objects that are free-form', () => {
    expect(said(things.update, { id: thing, settings: { any: { depth: 1 } } })).toBe('accepted')
  })
  it('are ignored where a standard says so', () => {
    expect(said(things.callback, { code: 'c', session_state: 's' })).toBe('accepted')
  })
})

describe('a value of another type', () => {
  it.each(['limit', 'search', 'size', 'status'])('is refused with the name of the repeated parameter: %s', (name) => {
    expect(said(wide, { [name]: ['1', '2'] })).toBe(`${name}: must be a single value. Send it once, not as a list`)
  })
  it('is refused with the types that are accepted', () => {
    expect(said(wide, { size: {} })).toBe('size: must be a number or true or false')
  })
})

describe('an empty list', () => {
  it.each(['', ',', []])('%j is refused, because it would not limit anything', (orgIds) => {
    expect(said(things.list, { orgIds })).toBe('orgIds: must not be empty. Leave it out to ask for all')
  })
})
