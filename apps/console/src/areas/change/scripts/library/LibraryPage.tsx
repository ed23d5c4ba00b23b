import { useNavigate, useSearch } from '@tanstack/react-router'
import { SearchField } from '../../../../ui/form/SearchField.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { Tools } from '../../../../ui/list/ListPage.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { Tabs } from '../../../../ui/page/Tabs.tsx'
import { languages } from '../../../control/commands/languages.ts'
import { systems } from '../words.tsx'
import { SystemScriptsTab } from './SystemScriptsTab.tsx'
import { TemplatesTab } from './TemplatesTab.tsx'

const tabs = [
  { id: 'scripts', label: 'Scripts' },
  { id: 'templates', label: 'Templates' },
] as const

/** The scripts and templates that come with Muster. */
export function LibraryPage() {
  const search = useSearch({ from: '/app/scripts/library' })
  const { tab = 'scripts', q, language, os } = search
  const navigate = useNavigate({ from: '/scripts/library' })
  const narrow = (next: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const isNarrowed = Boolean(q || language || os)
  const clear = isNarrowed && (() => narrow({ q: undefined, language: undefined, os: undefined }))
  const wanted = { ...(q && { search: q }), ...(language && { language }), ...(os && { osType: os }) }
  return (
    <Page fill title="Script library" lead="Comes with Muster. Import a script, or fill in a template.">
      <Tabs label="Sections of the library" tabs={tabs} open={tab} />
      <Tools>
        <SearchField
          label="Search the library"
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
        <Select
          label="System"
          none="All systems"
          value={os}
          options={systems}
          choose={(next) => narrow({ os: next })}
        />
      </Tools>
      {tab === 'scripts' ? (
        <SystemScriptsTab wanted={wanted} clear={clear} />
      ) : (
        <TemplatesTab wanted={wanted} clear={clear} />
      )}
    </Page>
  )
}
