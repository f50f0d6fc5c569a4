# What is installed beside the programs: service files, their account, and settings at their defaults.
# The service files name /usr/bin, so install with --prefix /usr.
set(packaged ${CMAKE_SOURCE_DIR}/packaging)
install(FILES ${packaged}/hotlatch-agent.service ${packaged}/hotlatch-collector.service
        DESTINATION lib/systemd/system)
install(FILES ${packaged}/hotlatch.sysusers DESTINATION lib/sysusers.d RENAME hotlatch.conf)
# Examples: /etc/hotlatch is the operator's, and installing again must not overwrite it.
install(FILES ${packaged}/agent.toml ${packaged}/collector.toml DESTINATION share/hotlatch)
install(FILES README.md LICENSE DESTINATION share/doc/hotlatch)
