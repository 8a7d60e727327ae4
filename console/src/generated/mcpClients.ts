// Written by `npm run openapi` from the MCP clients that the documents of the service have. Do not edit.

export interface McpClient {
  name: string
  where: string
  snippet: string
}

/** What stands for the origin of the service. */
export const placeholder = '//runyard.invalid'

export const safeClients: McpClient[] = [
  {
    "name": "Claude Code",
    "where": "In a terminal, in the project that shall have it, or with `--scope user` for all of them. The key goes into your own settings.",
    "snippet": "claude mcp add --transport http runyard https://runyard.invalid/v2/mcp \\\n  --header \"Authorization: Bearer $RUNYARD_API_KEY\""
  },
  {
    "name": "Claude Desktop",
    "where": "In `claude_desktop_config.json` (Settings, Developer, Edit config), then restart it. This file only starts local programs, so `mcp-remote` stands between; it needs Node.js.",
    "snippet": "{\n  \"mcpServers\": {\n    \"runyard\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"mcp-remote\",\n        \"https://runyard.invalid/v2/mcp\",\n        \"--header\",\n        \"Authorization:${AUTHORIZATION}\"\n      ],\n      \"env\": {\n        \"AUTHORIZATION\": \"Bearer <your key>\"\n      }\n    }\n  }\n}"
  },
  {
    "name": "Cursor",
    "where": "In `.cursor/mcp.json` of a project, or in `~/.cursor/mcp.json` for all of them.",
    "snippet": "{\n  \"mcpServers\": {\n    \"runyard\": {\n      \"url\": \"https://runyard.invalid/v2/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer ${env:RUNYARD_API_KEY}\"\n      }\n    }\n  }\n}"
  },
  {
    "name": "VS Code",
    "where": "In `.vscode/mcp.json`, or in your own by the command “MCP: Open User Configuration”. It asks for the key once and keeps it.",
    "snippet": "{\n  \"inputs\": [\n    {\n      \"type\": \"promptString\",\n      \"id\": \"runyard-key\",\n      \"description\": \"Runyard API key\",\n      \"password\": true\n    }\n  ],\n  \"servers\": {\n    \"runyard\": {\n      \"type\": \"http\",\n      \"url\": \"https://runyard.invalid/v2/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer ${input:runyard-key}\"\n      }\n    }\n  }\n}"
  },
  {
    "name": "Codex",
    "where": "In `~/.codex/config.toml`; it reads the key from the environment variable.",
    "snippet": "[mcp_servers.runyard]\nurl = \"https://runyard.invalid/v2/mcp\"\nbearer_token_env_var = \"RUNYARD_API_KEY\""
  }
]

export const plainClients: McpClient[] = [
  {
    "name": "Claude Code",
    "where": "In a terminal, in the project that shall have it, or with `--scope user` for all of them. The key goes into your own settings.",
    "snippet": "claude mcp add --transport http runyard http://runyard.invalid/v2/mcp \\\n  --header \"Authorization: Bearer $RUNYARD_API_KEY\""
  },
  {
    "name": "Claude Desktop",
    "where": "In `claude_desktop_config.json` (Settings, Developer, Edit config), then restart it. This file only starts local programs, so `mcp-remote` stands between; it needs Node.js.",
    "snippet": "{\n  \"mcpServers\": {\n    \"runyard\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"mcp-remote\",\n        \"http://runyard.invalid/v2/mcp\",\n        \"--allow-http\",\n        \"--header\",\n        \"Authorization:${AUTHORIZATION}\"\n      ],\n      \"env\": {\n        \"AUTHORIZATION\": \"Bearer <your key>\"\n      }\n    }\n  }\n}"
  },
  {
    "name": "Cursor",
    "where": "In `.cursor/mcp.json` of a project, or in `~/.cursor/mcp.json` for all of them.",
    "snippet": "{\n  \"mcpServers\": {\n    \"runyard\": {\n      \"url\": \"http://runyard.invalid/v2/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer ${env:RUNYARD_API_KEY}\"\n      }\n    }\n  }\n}"
  },
  {
    "name": "VS Code",
    "where": "In `.vscode/mcp.json`, or in your own by the command “MCP: Open User Configuration”. It asks for the key once and keeps it.",
    "snippet": "{\n  \"inputs\": [\n    {\n      \"type\": \"promptString\",\n      \"id\": \"runyard-key\",\n      \"description\": \"Runyard API key\",\n      \"password\": true\n    }\n  ],\n  \"servers\": {\n    \"runyard\": {\n      \"type\": \"http\",\n      \"url\": \"http://runyard.invalid/v2/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer ${input:runyard-key}\"\n      }\n    }\n  }\n}"
  },
  {
    "name": "Codex",
    "where": "In `~/.codex/config.toml`; it reads the key from the environment variable.",
    "snippet": "[mcp_servers.runyard]\nurl = \"http://runyard.invalid/v2/mcp\"\nbearer_token_env_var = \"RUNYARD_API_KEY\""
  }
]
