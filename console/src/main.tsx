// Draws the page.
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './app/client.ts'
import { LiveProvider } from './app/live.tsx'
import { fetchScreen, router } from './app/routes.tsx'
import { askWho, SessionProvider } from './app/session.tsx'
import { followTheme } from './app/settings.ts'
import { reloadAfterUpgrade } from './app/upgrade.ts'
import './look/base.css'
import './look/tokens.css'
import { Toasts } from './parts/toasts.tsx'

followTheme()
reloadAfterUpgrade()
askWho()
fetchScreen()
const place = document.getElementById('page')
if (!place) throw new Error('index.html has no element with the id page')
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <SessionProvider>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
        </SessionProvider>
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
