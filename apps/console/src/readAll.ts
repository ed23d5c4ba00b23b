import type { Api, Choose } from './api.ts'

export interface Paged<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly total: number }
}
const perPage = 100

/** Reads the whole of a list that is answered in pages. */
export async function readAll<In, Item>(
  choose: Choose<In, Paged<Item>>,
  input: In & object,
  { api, signal }: { readonly api: Api; readonly signal?: AbortSignal },
): Promise<Item[]> {
  const all: Item[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await choose(api).query({ ...input, page, limit: perPage }, signal ? { signal } : {})
    all.push(...data)
    if (data.length === 0 || all.length >= pagination.total) return all
  }
}
