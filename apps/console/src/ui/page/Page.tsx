import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'

interface Props {
  readonly title: string
  /** Beside the title: how it stands. */
  readonly badge?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** The list that this page belongs to. */
  readonly up?: { readonly label: string; readonly to: LinkProps['to'] }
  /** The content fills the window and scrolls inside, as tables do. */
  readonly fill?: boolean
  readonly children: ReactNode
}

/** The frame of all screens: title, actions, content. */
export function Page({ title, badge, lead, actions, up, fill = false, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Muster`
  }, [title])
  return (
    <div className={`flex min-h-full flex-col ${fill ? 'h-full' : ''}`}>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-5 pb-3 md:px-6">
        <div className="min-w-0">
          {up && (
            <nav aria-label="Breadcrumb" className="flex items-center gap-0.5 text-muted text-sm">
              <Link to={up.to} className="rounded hover:text-ink">
                {up.label}
              </Link>
              <ChevronRight aria-hidden className="size-3.5" />
            </nav>
          )}
          <div className="flex items-center gap-x-2.5 gap-y-1 max-sm:flex-wrap">
            <h1 className="min-w-0 break-words font-semibold text-xl tracking-tight sm:truncate">{title}</h1>
            {badge}
          </div>
          {lead && <p className="mt-0.5 text-muted text-sm">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className={`min-h-0 flex-1 px-4 pb-6 md:px-6 ${fill ? 'flex flex-col' : ''}`}>{children}</div>
    </div>
  )
}
