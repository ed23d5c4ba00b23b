import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { useFullList } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { languages } from '../../control/commands/languages.ts'
import { systems } from './words.tsx'

export interface ScriptSearch {
  readonly q?: string | undefined
  readonly language?: KeptScript['language'] | undefined
  readonly os?: KeptScript['osTypes'][number] | undefined
  readonly category?: string | undefined
  readonly tag?: string | undefined
  readonly source?: KeptScript['source'] | undefined
}

interface Props {
  readonly search: ScriptSearch
  narrow(next: ScriptSearch): void
}

const sources = [
  ['organization', 'Of an organization'],
  ['partner', 'For all organizations'],
] as const

/** The search and the filters above the list of scripts. */
export function ScriptFilters({ search: { q, language, os, category, tag, source }, narrow }: Props) {
  const { org } = usePlace()
  const place = { ...(org && { orgId: org }) }
  const categories = useFullList((client) => client.scriptLibrary.categories.list, place).data ?? []
  const tags = useFullList((client) => client.scriptLibrary.tags.list, place).data ?? []
  const tagNames = [...new Set(tags.map(({ name }) => name))]
  return (
    <>
      <SearchField
        label="Search scripts"
        placeholder="Search by name or description"
        value={q}
        change={(text) => narrow({ q: text })}
      />
      <Select
        label="Language"
        none="All languages"
        value={language}
        options={languages}
        choose={(next) => narrow({ language: next })}
      />
      <Select label="System" none="All systems" value={os} options={systems} choose={(next) => narrow({ os: next })} />
      {categories.length > 0 && (
        <Select
          label="Category"
          none="All categories"
          value={category}
          options={categories.map(({ id, name }) => [id, name])}
          choose={(next) => narrow({ category: next })}
        />
      )}
      {tagNames.length > 0 && (
        <Select
          label="Tag"
          none="All tags"
          value={tag}
          options={tagNames.map((name) => [name, name])}
          choose={(next) => narrow({ tag: next })}
        />
      )}
      <Select
        label="Owner"
        none="All owners"
        value={source}
        options={sources}
        choose={(next) => narrow({ source: next })}
      />
    </>
  )
}
