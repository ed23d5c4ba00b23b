import type { ComponentProps, ReactNode } from 'react'
import { Page } from '../page/Page.tsx'
import { DataTable } from '../table/DataTable.tsx'
import { Pages } from './Pages.tsx'
import type { List } from './useList.ts'

type TableProps<Row extends object> = Omit<
  Parameters<typeof DataTable<Row>>[0],
  'rows' | 'answer' | 'total' | 'footer'
> & { readonly list: List<Row> }

/** The table of a list, with its pages below. */
export function ListTable<Row extends object>({ list: { rows, answer, total, pages }, ...table }: TableProps<Row>) {
  return (
    <DataTable {...table} rows={rows} answer={answer} total={total} footer={pages ? <Pages {...pages} /> : undefined} />
  )
}

type PageProps = Pick<ComponentProps<typeof Page>, 'title' | 'lead' | 'actions' | 'up'>

/** A screen that shows one list: title and actions, the search and filters (`tools`), the table. Dialogs are its children. */
export function ListPage<Row extends object>({
  title,
  lead,
  actions,
  up,
  tools,
  children,
  ...table
}: PageProps & TableProps<Row> & { readonly tools?: ReactNode; readonly children?: ReactNode }) {
  return (
    <Page fill title={title} lead={lead} actions={actions} {...(up && { up })}>
      {tools && <Tools>{tools}</Tools>}
      <ListTable {...table} />
      {children}
    </Page>
  )
}

/** The search field and the filters above a list. */
export const Tools = ({ children }: { readonly children: ReactNode }) => (
  <div className="mb-3 flex flex-wrap items-center gap-2">{children}</div>
)
